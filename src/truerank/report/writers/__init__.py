"""The writers of tables: one per format, for all tables of all results."""

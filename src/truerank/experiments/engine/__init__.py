"""Runs the tasks of an experiment, stores what they find, resumes."""

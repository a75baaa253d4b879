"""What every room uses and no room owns: files, seeds, registries, threads, types. Nothing of the field."""

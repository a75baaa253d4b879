"""What every package uses: files, seeds, registries, threads, types. Nothing here knows the field."""

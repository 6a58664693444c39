"""The parts of tools/loadtest."""

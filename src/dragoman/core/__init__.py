"""What every stage needs: errors, shapes, safe files, the console, the lock of a run folder."""

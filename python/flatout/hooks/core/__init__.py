"""What no framework is needed for: lines of the program, what ended it, readers of samples, objects that are looked at only."""

"""What one fold is: split, preprocess, tune, fit, score. One engine, three protocols."""

"""English to Pig Latin, letter by letter: five runs of the notes, and what they leave open."""

"""Systems in space: surfaces that roll, slide, drill, stack and hit."""

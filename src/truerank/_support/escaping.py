"""placeholder"""
import html as library, re
def terminal(text): return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)

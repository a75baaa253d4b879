"""The reliability report: a page that people share, figures for papers, and a notebook's display.

>>> import numpy as np, truerank
>>> from truerank.report import page_html
>>> result = truerank.assess(np.random.default_rng(1).uniform(size=(20, 4)), ["ml"], draws=100)
>>> page_html(result).startswith("<!doctype html>")
True
"""

from truerank.report.figures import write_figures
from truerank.report.notebook import notebook_html
from truerank.report.pages.assessment import page_html, write_page
from truerank.report.pages.gate import gate_html, write_gate

__all__ = ["gate_html", "notebook_html", "page_html", "write_figures", "write_gate", "write_page"]

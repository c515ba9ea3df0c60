"""The report of the lab: a site of plain files from the topics and what was found on them."""

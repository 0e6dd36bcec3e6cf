"""Methods to check a claim, one in each module.

`check` chooses the method by the kind of the claim.
"""

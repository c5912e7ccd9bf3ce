"""Many recordings at once: what each needs done, by whom it is done, and what came of it.

A recording is *surveyed* once (motion, and which looks need the detector), its asked looks are given to the
detector in *parts* that any worker may do in any order, and then it is *decoded* in order. The result is byte
for byte what ``pzvision replay`` writes, whoever did the parts and however often a run was interrupted.
"""

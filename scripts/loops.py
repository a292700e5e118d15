"""Texts without their loops, which flatter methods that copy.

A loop is a sequence of tokens generated four or more times in a row, as marked by `data traces`. Passes are counted
up to the start of its third occurrence; times are those of texts without any loop.
"""

import functools

LOOP = 4  # times in a row


@functools.cache
def first_loop(tokens):
    """(begin, period in tokens), None if there is none."""
    for begin in range(len(tokens)):
        for period in range(1, (len(tokens) - begin) // LOOP + 1):
            end = begin + LOOP * period
            if tokens[begin:end - period] == tokens[begin + period:end]:
                return begin, period
    return None


def loop_of(record):
    return first_loop(tuple(record["output_tokens"]))


def without_loop(record):
    """The record cut before the third occurrence of its first loop, and without its times and what its drafter counted."""
    if loop_of(record) is None:
        return record
    begin, period = loop_of(record)
    text = record["output_tokens"][:begin + 2 * period]
    generated, drafts = 1, []  # the first token comes from the prefill
    for drafted, accepted in record["drafts"]:
        room = len(text) - generated - 1  # one is the target's own token
        if room < 0:
            break
        drafts.append((min(drafted, room), min(accepted, room)))
        generated += accepted + 1
    kept = {key: value for key, value in record.items() if not key.endswith("_seconds") and key != "draft_counts"}
    return kept | {"output_tokens": text, "drafts": drafts, "passes": len(drafts),
                   "drafted": sum(drafted for drafted, _ in drafts), "accepted": sum(accepted for _, accepted in drafts)}


def any_loops(counted):
    """@param counted  records by method, "ar" among them"""
    return any(loop_of(record) for record in counted["ar"])


def without_loops(counted, runs):
    """The same without loops. @param counted, runs  as passed by side_by_side.compare"""
    cut = {method: [without_loop(record) for record in records] for method, records in counted.items()}
    lasting = {method: [kept for records in rounds if (kept := [r for r in records if not loop_of(r)])]
               for method, rounds in runs.items()}
    return cut, lasting

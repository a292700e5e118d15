// Nothing: headers that libraries share are compiled beside it.

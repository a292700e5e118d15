// Nothing: headers that folders of train/ share are compiled beside it.

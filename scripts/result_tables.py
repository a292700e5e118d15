"""The tables that scripts/tables can make, by name."""

TABLES = {}


def table(name):
    """Declares a function (run...) -> (names of columns, rows) as what makes a table."""
    def declare(make):
        TABLES[name] = make
        return make
    return declare


def markdown(names, rows):
    """Lines of a table."""
    return ["| " + " | ".join(map(str, row)) + " |" for row in [names, ["---"] * len(names), *rows]]

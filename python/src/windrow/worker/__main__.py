# SPDX-License-Identifier: Apache-2.0
"""Entry point: ``python3 <folder>/windrow/worker/__main__.py``, descriptors as the protocol says;
with a file as argument, a trial at the terminal (local.py).

Started by its path, so the folder of this file stands first on the import path, where `rows` or
`script` of ours would win over the user's. It goes; the folder that holds the package comes first
while our own modules load and last afterwards, so that the user's modules always win.
All of it under the guard: multiprocessing's spawned children execute this file again under
another name, and must not become workers.
"""

if __name__ == "__main__":
    import os
    import sys

    if sys.version_info < (3, 7):  # noqa: UP036  # behind a wrapper; any Python reads this file
        sys.exit("windrow: scripts need Python 3.7 or newer; this is " + sys.version.split()[0])
    here = os.path.dirname(os.path.realpath(__file__))
    packages = os.path.dirname(os.path.dirname(here))
    if os.path.realpath(sys.path[0]) == here:  # not so under PYTHONSAFEPATH
        del sys.path[0]
    sys.path.insert(0, packages)
    no_bytecode = sys.dont_write_bytecode
    sys.dont_write_bytecode = False  # this folder is ours; compiling again costs 7 ms each start

    if len(sys.argv) > 1:
        from windrow.worker import local
    else:
        from windrow.worker import serve

    sys.dont_write_bytecode = no_bytecode
    sys.path.append(sys.path.pop(0))
    if len(sys.argv) > 1:
        local.main(sys.argv[1])
    else:
        serve.main()

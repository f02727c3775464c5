# SPDX-License-Identifier: Apache-2.0
"""The program `talus` inside Python: python3 -m talus run SCENE."""

import os
import sys


def main() -> int:
    if not __package__:  # started by the path of this file
        sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    from talus import _core

    return _core.run_command_line([sys.executable, os.path.abspath(__file__)], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

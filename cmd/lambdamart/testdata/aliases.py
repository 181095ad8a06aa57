"""Prints LightGBM's parameters, one a line, each followed by its aliases.

    pip install lightgbm==4.7.0 && python aliases.py > lightgbm_aliases.txt
"""
from lightgbm.basic import _ConfigAliases

for name, aliases in sorted(_ConfigAliases._get_all_param_aliases().items()):
    print(name, *sorted(set(aliases) - {name}))

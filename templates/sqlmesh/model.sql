/* [[ marker ]] */
MODEL (
[% for property in properties %]  [[ property ]][% if !loop.last %],[% endif %]
[% endfor %]);

[% if let Some(before) = before %][[ before ]];

[% endif %][[ body ]][% if let Some(after) = after %];

[[ after ]][% endif %]

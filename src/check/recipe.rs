//! Fields that are computed from several paths: the recipes of the catalog, and what a mapping makes
//! of one. What is delivered beside a computed value is a column of its own.

use super::world::EntityView;
use super::{chain, expression};
use crate::diag::code::{e01xx, e02xx, e03xx};
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Alias, MappedField, Recipe, Source, Step};
use crate::place::Place;
use crate::spec::Spec;
use crate::spec::catalog::{self, CanonicalField};
use crate::spec::mapping::{MappedFieldSpec, RecipeInput};
use crate::sql::expr::Expr;
use crate::sql::types::{DecimalType, Type};

/// In the order of the catalog.
pub(super) type Recipes<'s> = Vec<Known<'s>>;

pub(super) struct Known<'s> {
    spec: &'s catalog::Recipe,
    makes: &'s CanonicalField,
    aliases: Vec<(String, Type)>,
    /// `None`: something is wrong with it, which has been reported.
    value: Option<(Expr, Type)>,
}

/// The column that holds what was delivered beside what a recipe makes.
pub(super) fn direct_name(field: &str) -> String {
    format!("{field}__direct")
}

/// Every recipe of the catalog, whether or not a mapping takes it.
pub(super) fn read<'s>(spec: &'s Spec, found: &mut Bag) -> Recipes<'s> {
    let Some(catalog) = &spec.catalog else {
        return Vec::new();
    };
    let mut known: Recipes<'s> = Vec::new();
    for makes in &catalog.canonical_fields {
        for recipe in &makes.recipes {
            let mut earlier = makes.recipes.iter();
            match earlier.find(|earlier| earlier.id == recipe.id) {
                Some(first) if first.at.place() != recipe.at.place() => {
                    refuse_second(first, recipe, found);
                }
                Some(_) | None => known.push(of_catalog(recipe, makes, catalog, found)),
            }
        }
    }
    known
}

fn refuse_second(first: &catalog::Recipe, second: &catalog::Recipe, found: &mut Bag) {
    found.push(
        Diagnostic::error(
            e02xx::RECIPE_TWICE,
            second.at.key("id"),
            format!("two recipes are called `{}`", second.id),
        )
        .label("a mapping could not say which one it means")
        .also(first.at.key("id"), "the first one")
        .help("give one of them another `id`"),
    );
}

fn of_catalog<'s>(
    spec: &'s catalog::Recipe,
    makes: &'s CanonicalField,
    catalog: &catalog::Catalog,
    found: &mut Bag,
) -> Known<'s> {
    let ty = |required: &catalog::Required| {
        let mut fields = catalog.canonical_fields.iter();
        let named = fields.find(|field| field.name == required.alias);
        required.ty.or(named.map_or(makes.ty, |named| named.ty))
    };
    let aliases = spec.requires.iter();
    let aliases: Option<Vec<(String, Type)>> = aliases
        .map(|required| Some((required.alias.clone(), ty(required)?)))
        .collect();
    let aliases = aliases.unwrap_or_default();
    let value = value(spec, &aliases, found);
    if let (Some((_, ty)), Some(target)) = (&value, makes.ty)
        && chain::conversion(*ty, target).is_none()
    {
        let place = makes.at.key("type");
        let wanted = format!("`{}` is of type `{target}`", makes.name);
        found.push(wrong_type(spec, *ty, wanted, (place, "declared here")));
        return Known {
            spec,
            makes,
            aliases,
            value: None,
        };
    }
    Known {
        spec,
        makes,
        aliases,
        value,
    }
}

fn value(
    spec: &catalog::Recipe,
    aliases: &[(String, Type)],
    found: &mut Bag,
) -> Option<(Expr, Type)> {
    match (&spec.expr, aliases) {
        (_, []) => None,
        (Some(text), aliases) => expression::value(text, &spec.at.key("expr"), aliases, found),
        (None, [(alias, ty)]) => Some((Expr::column(alias), *ty)),
        (None, _) => {
            found.push(
                Diagnostic::error(e01xx::MISSING_KEY, spec.at.place(), "missing key `expr`")
                    .label("nothing says what becomes of several aliases")
                    .help("write the value over them, as `gross - tax`"),
            );
            None
        }
    }
}

fn wrong_type(spec: &catalog::Recipe, ty: Type, wanted: String, also: (Place, &str)) -> Diagnostic {
    let place = match spec.expr {
        Some(_) => spec.at.key("expr"),
        None => spec.at.key("id"),
    };
    Diagnostic::error(
        e03xx::EXPRESSION_TYPE,
        place,
        format!("the recipe `{}` makes a `{ty}`", spec.id),
    )
    .label(wanted)
    .also(also.0, also.1)
    .help("cast the value in `expr`, or change the type")
}

/// Where the field's chain begins, and the steps from there.
pub(super) fn resolve(
    mapped: &MappedFieldSpec,
    input: &RecipeInput,
    target: Type,
    entity: &EntityView<'_>,
    recipes: &Recipes<'_>,
    found: &mut Bag,
) -> Option<(Source, Vec<Step>)> {
    let known = find(mapped, input, entity, recipes, found)?;
    let aliases = aliases(mapped, input, known, found)?;
    let (value, made) = known.value.clone()?;
    let Some((ty, steps)) = fitted(made, target) else {
        let wanted = format!("the field `{}` is of type `{target}`", mapped.name);
        let also = (mapped.at.key("recipe"), "taken here");
        found.push(wrong_type(known.spec, made, wanted, also));
        return None;
    };
    let recipe = Recipe {
        name: format!("{}.{}", known.makes.name, known.spec.id),
        place: match known.spec.expr {
            Some(_) => known.spec.at.key("expr"),
            None => known.spec.at.key("id"),
        },
        aliases,
        value,
        made,
        ty,
    };
    Some((Source::Recipe(recipe), steps))
}

/// The nearest type to the field's that loses nothing, and the steps from there.
fn fitted(ty: Type, target: Type) -> Option<(Type, Vec<Step>)> {
    let fits = match (ty, target) {
        (Type::Int, Type::Decimal(to)) => to.precision - to.scale >= 19,
        (Type::Decimal(from), Type::Decimal(to)) => {
            let whole = |ty: DecimalType| ty.precision - ty.scale;
            to.scale >= from.scale && whole(to) >= whole(from)
        }
        (Type::Date, Type::Timestamp) => true,
        (ty, target) => ty == target,
    };
    if fits {
        return Some((target, Vec::new()));
    }
    Some((ty, chain::conversion(ty, target)?))
}

fn find<'k, 's>(
    mapped: &MappedFieldSpec,
    input: &RecipeInput,
    entity: &EntityView<'_>,
    recipes: &'k Recipes<'s>,
    found: &mut Bag,
) -> Option<&'k Known<'s>> {
    let field = entity.fields.get(mapped.name.as_str())?;
    let canonical = field.canonical.as_deref();
    let is_own = |known: &&Known<'_>| {
        known.makes.entity == entity.name()
            && canonical.is_none_or(|canonical| known.makes.name == canonical)
    };
    let named: Vec<&Known<'s>> = recipes
        .iter()
        .filter(|known| known.spec.id == input.recipe)
        .collect();
    let own: Vec<&Known<'s>> = named
        .iter()
        .copied()
        .filter(|known| is_own(known))
        .collect();
    let of_this_name = own.iter().find(|known| known.makes.name == mapped.name);
    match (own.as_slice(), of_this_name) {
        ([only], _) => return Some(only),
        (_, Some(known)) => return Some(known),
        (_, None) => {}
    }
    let place = mapped.at.key("recipe");
    let id = &input.recipe;
    found.push(match (own.as_slice(), named.as_slice()) {
        ([one, other, ..], _) => Diagnostic::error(
            e02xx::UNKNOWN_RECIPE,
            place,
            format!("several canonical fields have a recipe `{id}`"),
        )
        .label(format!(
            "it could make `{}` or `{}`",
            one.makes.name, other.makes.name
        ))
        .help("say with `canonical:` of the field which one it is"),
        (_, [other, ..]) => Diagnostic::error(
            e02xx::UNKNOWN_RECIPE,
            place,
            format!("the recipe `{id}` does not make `{}`", mapped.name),
        )
        .label(format!(
            "it makes `{}` of `{}`",
            other.makes.name, other.makes.entity
        ))
        .also(other.spec.at.key("id"), "declared here")
        .help("take a recipe of the field's own canonical field"),
        (_, []) => Diagnostic::error(
            e02xx::UNKNOWN_RECIPE,
            place,
            format!("unknown recipe `{id}`"),
        )
        .label("the catalog does not declare it")
        .help_nearest(
            id,
            recipes
                .iter()
                .filter(is_own)
                .map(|known| known.spec.id.as_str()),
        ),
    });
    None
}

/// `from` gives every alias that the recipe requires, and no other.
fn aliases(
    mapped: &MappedFieldSpec,
    input: &RecipeInput,
    known: &Known<'_>,
    found: &mut Bag,
) -> Option<Vec<Alias>> {
    let id = &input.recipe;
    let requires = known.spec.requires.iter();
    let requires: Vec<&str> = requires.map(|required| required.alias.as_str()).collect();
    let from = mapped.at.key("from");
    for (alias, _) in &input.from {
        if !requires.contains(&alias.as_str()) {
            found.push(
                Diagnostic::error(
                    e02xx::RECIPE_ALIAS,
                    from.key(alias).at_key(),
                    format!("the recipe `{id}` has no alias `{alias}`"),
                )
                .label("nothing would read it")
                .help_nearest(alias, requires.iter().copied()),
            );
        }
    }
    for alias in &requires {
        if !input.from.iter().any(|(given, _)| given == alias) {
            found.push(
                Diagnostic::error(
                    e02xx::RECIPE_ALIAS,
                    from.at_key(),
                    format!("the recipe `{id}` requires `{alias}`"),
                )
                .label("no path is given for it")
                .also(known.spec.at.key("requires").at_key(), "required here")
                .help(format!("write `{alias}: \"$.path\"` under `from:`")),
            );
        }
    }
    let mut aliases = Vec::new();
    for (name, ty) in &known.aliases {
        let (_, path) = input.from.iter().find(|(given, _)| given == name)?;
        aliases.push(Alias {
            name: name.clone(),
            ty: *ty,
            from: path.clone(),
            steps: chain::conversion(Type::String, *ty)?,
        });
    }
    Some(aliases)
}

/// The column that `direct` adds.
pub(super) fn direct(mapped: &MappedFieldSpec, ty: Type, found: &mut Bag) -> Option<MappedField> {
    let path = mapped.direct()?;
    let place = mapped.at.key("direct");
    if ty == Type::Variant {
        found.push(
            Diagnostic::error(
                e02xx::DIRECT,
                place.at_key(),
                format!("`direct` on `{}`, which is a `variant`", mapped.name),
            )
            .label("two spellings of one JSON value are not equal")
            .help("leave `direct` out"),
        );
        return None;
    }
    Some(MappedField {
        field: direct_name(&mapped.name),
        ty,
        from: Source::Path(path.clone()),
        steps: chain::conversion(Type::String, ty)?,
        place,
    })
}

/// On an entity that judges no row there is no gate.
pub(super) fn refuse_direct(entity: &EntityView<'_>, found: &mut Bag) {
    for field in &entity.spec.fields {
        let Some(place) = entity.direct(&field.name) else {
            continue;
        };
        found.push(
            Diagnostic::error(
                e02xx::DIRECT,
                place.at_key(),
                format!(
                    "`direct` on `{}`, which is not under quality control",
                    entity.name()
                ),
            )
            .label("nothing would compare the two values")
            .help("declare `quarantine:` or `quality:` on the entity, or leave `direct` out"),
        );
    }
}

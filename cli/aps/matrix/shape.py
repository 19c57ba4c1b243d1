"""The shape of matrix.yaml: its keys and their kinds, and the JSON Schema made from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from aps.matrix.fields import (
    Count,
    Default,
    LongerThanZero,
    NotBlank,
    Number,
    OptionalText,
    Share,
    Sighting,
    Text,
    Texts,
    short,
    wrong,
)
from aps.model.matrix import (
    MOST_MISSING,
    Artifacts,
    Fencing,
    Kind,
    Liveness,
    ParameterType,
    Run,
)

NAME = r"^[a-z][a-z0-9_]*$"


class Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class OwnerShape(Shape):
    """The team that is responsible, not the worker that holds a job."""

    team: Text
    contact: OptionalText = None
    escalate: OptionalText = None


class ThresholdShape(Shape):
    """Reached when either is."""

    count: Count | None = None
    age: LongerThanZero | None = None

    @model_validator(mode="after")
    def _says_something(self) -> ThresholdShape:
        if self.count is None and self.age is None:
            raise wrong("says nothing; write a count, or {count: 1, age: 15 min}")
        return self


Threshold = Annotated[
    ThresholdShape | None, short("count", int, Annotated[int, Field(ge=1)], ThresholdShape)
]
Owner = Annotated[OwnerShape | None, short("team", str, NotBlank, OwnerShape)]


class SeverityShape(Shape):
    warning: Threshold = None
    critical: Threshold = None


class ActionShape(Shape):
    run: Annotated[Run, Field(description="the command, or manual: the queue's own")]
    effect: Annotated[Text, Field(description="what the job is afterwards")]
    attest: Annotated[
        OptionalText, Field(description="what a person must confirm that the database cannot")
    ] = None
    command: Annotated[OptionalText, Field(description="for manual: what a person runs")] = None
    changes_per_job: Annotated[
        Number,
        Field(
            description="rows of the table that the action changes for one job; 0: reconcile only reads its files"
        ),
    ] = 1
    to: Annotated[
        Texts | None, Field(description="the state, or states, that the job is in afterwards")
    ] = None


class RollbackShape(Shape):
    criterion: Annotated[Text, Field(description="what shows that the action was wrong")]
    irreversible: Annotated[
        OptionalText, Field(description="why there is no way back; else STATE.undo.sql exists")
    ] = None


def _none_or_mapping(value: object) -> object:
    if value == "none":
        return None
    if isinstance(value, dict):
        return value
    raise wrong("must be none, or {run: reclaim, reconcile or manual, effect: what it does}")


Action = Annotated[
    ActionShape | None,
    BeforeValidator(_none_or_mapping, json_schema_input_type=Literal["none"] | ActionShape),
]


class StateShape(Shape):
    means: Annotated[Text, Field(description="what is so when a job is in this state")]
    action: Annotated[Action, Field(description="none, or the one thing that may be done")]
    title: OptionalText = None
    kind: Kind = "lifecycle"
    not_: Annotated[
        OptionalText, Field(alias="not", description="what the state does not prove")
    ] = None
    rollback: RollbackShape | None = None
    moves: Annotated[
        dict[str, Text] | None,
        Field(min_length=1, description="STATE: what takes a job there without an operator"),
    ] = None
    owner: Owner = None
    severity: Annotated[
        SeverityShape | None,
        Field(description="default: warning at one where there is an action, else never"),
    ] = None
    liveness: Annotated[Liveness, Field(description="how strong the sign of life is")] = "none"
    artifacts: Annotated[
        Artifacts | None, Field(description="whether files of a store are looked up")
    ] = None
    reading: Annotated[
        Texts | None, Field(description="evidence columns that may move; outside the fence")
    ] = None
    context: Annotated[
        Texts | None, Field(description="NAME: queries/NAME.context.sql, shown for one job")
    ] = None
    limit: Annotated[Count | None, Field(description="most jobs that one operation may take")] = (
        None
    )
    bulk: Annotated[bool, Field(description="false: named jobs only")] = True
    next: Annotated[OptionalText, Field(description="the next step of the person")] = None
    tell: Annotated[OptionalText, Field(description="what the consumer is told")] = None
    forbidden: Annotated[OptionalText, Field(description="what nobody may do, and why")] = None
    outside_effects: OptionalText = None
    done_when: Annotated[OptionalText, Field(description="the business criterion")] = None
    retention: Annotated[OptionalText, Field(description="what leaving it costs")] = None
    unlogged: Annotated[
        Sighting | None,
        Field(description="evidence from an UNLOGGED table: how far apart the two sightings are"),
    ] = None


class ParameterShape(Shape):
    type: ParameterType
    default: Default
    means: Text
    unit: OptionalText = None


class MatrixShape(Shape):
    """The failure matrix of a queue: states, evidence, permitted action, owner, way back."""

    matrix: Annotated[Literal[1], Field(description="the version of this format")]
    system: Text
    title: OptionalText = None
    table: Annotated[Text, Field(description="what is locked when a job is acted upon")]
    key: Annotated[Texts, Field(description="the column, or columns, that name a job")]
    schema_: Annotated[OptionalText, Field(alias="schema")] = None
    scope: Annotated[OptionalText, Field(description="what one ownership covers")] = None
    versions: Annotated[
        Texts | None, Field(description="versions of the queue that this was tried on")
    ] = None
    fencing: Annotated[
        Fencing, Field(description="does the queue itself refuse a late worker's result?")
    ] = "none"
    max_lease: LongerThanZero | None = None
    most_missing: Annotated[
        Share,
        Field(
            description="where a larger share of ten or more files is missing, reconcile acts on no absence"
        ),
    ] = MOST_MISSING
    owner: Owner = None
    parameters: dict[str, ParameterShape] = {}
    states: Annotated[dict[str, StateShape], Field(min_length=1)]
    absent: Annotated[
        dict[str, Text], Field(description="core states that this queue lacks, and why")
    ] = {}


def schema() -> dict[str, Any]:
    """The JSON Schema of matrix.yaml, for editors."""
    made = _tidied(MatrixShape.model_json_schema())
    for name in ("states", "parameters", "absent"):
        made["properties"][name]["propertyNames"] = {"pattern": NAME}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}


def _tidied(node: Any) -> Any:
    """Without null, which is a fault in the file, and without titles that repeat the key."""
    if isinstance(node, list):
        return [_tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    named = node.get("properties", {})
    kept = {k: _tidied(v) for k, v in node.items() if k not in ("title", "properties", "default")}
    if named:
        kept["properties"] = {name: _tidied(value) for name, value in named.items()}
    if node.get("default") not in (None, {}):
        kept["default"] = node["default"]
    options = [option for option in kept.get("anyOf", []) if option != {"type": "null"}]
    if len(options) == 1:
        del kept["anyOf"]
        return {**options[0], **kept}
    return {**kept, "anyOf": options} if options else kept

"""Makes half of the well-formed bodies keep the rules that no schema can say, so that what lies
behind those rules is attacked as well. What breaks the schema is sent as it was generated."""

import itertools
import os

import schemathesis
from hypothesis import strategies

SENDER = os.environ["FUZZ_CONNECTION"]
numbers = itertools.count(1)
# Several processes attack one API: none is to use the names of another.
PROCESS = os.getpid()

names = strategies.sampled_from(["", "News ", '"Lee, Ann" ', "=?utf-8?q?Andr=C3=A9?= "])
addresses = strategies.integers(1, 10**6).map(lambda number: f"news{number}@example.com")
schemathesis.openapi.format(
    "mailbox",
    strategies.one_of(addresses, strategies.builds(lambda name, address: f"{name}<{address}>", names, addresses)),
)


def contact(body):
    for name in ("topicIds", "topicSlugs", "phone", "externalId"):
        body.pop(name, None)
    body["email"] = f"kept-{PROCESS}-{next(numbers)}@example.com"


def batch(body):
    for name in ("exclude", "timezoneAware", "throttlePerSecond", "topicId", "segmentId"):
        body.pop(name, None)
    for name in ("contactIds", "templateId", "variableMappings", "scheduledFor", "awsAccountId"):
        body.pop(name, None)
    body.update(
        channel="email",
        audienceType="all",
        subject="News",
        previewText="News",
        htmlContent="<p>News</p>",
        textContent="News",
        cloudAccountId=SENDER,
    )


def steps():
    wait = {"eventName": "order_placed", "timeout": {"amount": 3, "unit": "days"}}
    return [
        {"id": "wait", "type": "wait_for_event", "name": "An order?", "config": wait},
        {"id": "end", "type": "exit", "name": "End", "config": {"outcome": "completed"}},
    ]


def flow(body):
    for name in ("slug", "ifUnmodifiedSince", "transitions"):
        body.pop(name, None)
    body.update(triggerType="event", triggerConfig={"eventName": "signed_up"}, steps=steps())
    body["transitions"] = [{"from": "wait", "to": "end", "branch": "yes"}]
    # A condition has rules of its own.
    if isinstance(body.get("settings"), dict):
        body["settings"].pop("exitOn", None)


def pushed(body):
    # One workflow is a body by itself, too.
    for each in body.get("workflows", [body]):
        flow(each)
        each.pop("updatedAt", None)
        each["slug"] = f"pushed-{PROCESS}-{next(numbers)}"


def happening(body):
    for name in ("occurredAt", "contactExternalId", "createIfMissing"):
        body.pop(name, None)


def happenings(body):
    for each in body["events"]:
        happening(each)


KEEP = {
    "createContact": contact,
    "createBatch": batch,
    "createWorkflow": flow,
    "updateWorkflow": flow,
    "pushWorkflows": pushed,
    "ingestEvent": happening,
    "ingestEvents": happenings,
}


def exact(value):
    """Makes whole numbers small that JavaScript would change: 422 answers them wherever they stand."""
    if isinstance(value, dict):
        return {key: exact(each) for key, each in value.items()}
    if isinstance(value, list):
        return [exact(each) for each in value]
    is_large = isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53
    return value % 1000 if is_large else value


@schemathesis.hook
def before_call(context, case, kwargs):
    keep = KEEP.get(case.operation.definition.raw.get("operationId"))
    is_valid = case.meta is not None and case.meta.generation.mode.value == "positive"
    # One key for two bodies is refused with 422, as it should be.
    for name, value in list((case.headers or {}).items()):
        if name.lower() == "idempotency-key" and 1 <= len(str(value)) <= 255:
            case.headers[name] = f"fuzz-{PROCESS}-{next(numbers)}"
    if is_valid and isinstance(case.body, (dict, list)):
        case.body = exact(case.body)
    if keep and is_valid and isinstance(case.body, dict) and next(numbers) % 2 == 0:
        keep(case.body)

"""Makes half of the well-formed bodies keep the rules that no schema can say, so that what lies
behind those rules is attacked as well. What breaks the schema is sent as it was generated."""

import itertools
import os

import schemathesis

SENDER = os.environ["FUZZ_CONNECTION"]
numbers = itertools.count(1)


def contact(body):
    for name in ("topicIds", "topicSlugs", "phone", "externalId"):
        body.pop(name, None)
    body["email"] = f"kept-{next(numbers)}@example.com"


def batch(body):
    for name in ("exclude", "timezoneAware", "throttlePerSecond", "topicId", "segmentId"):
        body.pop(name, None)
    for name in ("contactIds", "templateId", "variableMappings", "scheduledFor"):
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


KEEP = {"createContact": contact, "createBatch": batch}


def somebody():
    """Another address each time: limits per address would refuse the attack, not its data."""
    n = next(numbers)
    return f"203.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}"


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers["X-Forwarded-For"] = somebody()
    keep = KEEP.get(case.operation.definition.raw.get("operationId"))
    is_valid = case.meta is not None and case.meta.generation.mode.value == "positive"
    # One key for two bodies is refused with 422, as it should be.
    if is_valid and case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = f"fuzz-{next(numbers)}"
    if keep and is_valid and isinstance(case.body, dict) and next(numbers) % 2 == 0:
        keep(case.body)

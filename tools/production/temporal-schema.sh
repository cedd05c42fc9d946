#!/bin/sh
# Creates Temporal's two schemas, or brings them to the version of the tool; run at each start. The
# tool reads SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD from the environment.
set -eu

schema() {
  temporal-sql-tool --db "$1" setup-schema -v 0.0
  temporal-sql-tool --db "$1" update-schema --schema-name "postgresql/v12/$2"
}

schema temporal temporal
schema temporal_visibility visibility

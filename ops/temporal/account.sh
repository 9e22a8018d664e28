#!/bin/sh
# Makes the role `temporal` and its two databases, or brings them to what they should be. Run as the superuser of Postgres: PGHOST,
# PGUSER and PGPASSWORD say where, TEMPORAL_DATABASE_PASSWORD is the role's. May be run again at any time.
set -eu
# The password comes from the environment, not from the command line, which every process of the machine can read.
psql -v ON_ERROR_STOP=1 -q -d postgres <<'SQL'
\getenv password TEMPORAL_DATABASE_PASSWORD
SELECT 'CREATE ROLE temporal LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'temporal') \gexec
ALTER ROLE temporal LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD :'password';
SQL
for db in temporal temporal_visibility; do
  psql -v ON_ERROR_STOP=1 -q -d postgres -v db="$db" <<'SQL'
SELECT format('CREATE DATABASE %I OWNER temporal', :'db') WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'db') \gexec
ALTER DATABASE :"db" OWNER TO temporal;
REVOKE CONNECT ON DATABASE :"db" FROM PUBLIC;
SQL
  psql -v ON_ERROR_STOP=1 -q -d "$db" <<'SQL'
SELECT format('ALTER %s %I.%I OWNER TO temporal', CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, nspname, relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE nspname = 'public' AND relkind IN ('r', 'p', 'v', 'S') AND relowner <> 'temporal'::regrole
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i', 'e')) \gexec
SELECT format('ALTER FUNCTION %s OWNER TO temporal', p.oid::regprocedure)
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE nspname = 'public' AND proowner <> 'temporal'::regrole AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') \gexec
SQL
done

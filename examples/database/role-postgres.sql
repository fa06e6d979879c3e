-- A role for the assistant in PostgreSQL, which reads the views of one schema and can do nothing else. Run it as a superuser in the
-- database that the assistant reads, once the schema `reporting` is there; then set a password of your own.
CREATE ROLE threadwise LOGIN NOSUPERUSER NOINHERIT NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 16;

DO $$
BEGIN
  -- Without this, everyone may make temporary tables.
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO threadwise', current_database());
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
-- Large objects can be made by everyone, in a read-only transaction as well.
REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea), lo_unlink(oid), lo_put(oid, bigint, bytea),
  lowrite(integer, bytea), lo_open(oid, integer), lo_truncate(integer, integer), lo_truncate64(integer, bigint) FROM PUBLIC;

GRANT USAGE ON SCHEMA reporting TO threadwise;
GRANT SELECT ON ALL TABLES IN SCHEMA reporting TO threadwise;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA reporting FROM PUBLIC;

ALTER ROLE threadwise SET default_transaction_read_only = on;
ALTER ROLE threadwise SET statement_timeout = '10s';
ALTER ROLE threadwise SET idle_in_transaction_session_timeout = '15s';

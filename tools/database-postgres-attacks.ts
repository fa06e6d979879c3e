/**
 * What the role of a source must not be able to do, tried in a transaction that may write and is rolled back. A write is tried on no
 * rows: the right is asked for before the rows are. A question works when it has an answer.
 */
export const POSTGRES_ATTACKS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'it is a superuser, or may make roles or databases',
    sql: 'SELECT 1 FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)',
  },
  {
    name: 'it is a member of a role that reads or writes files or all data',
    sql: "SELECT rolname FROM pg_roles WHERE rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program', 'pg_write_all_data', 'pg_read_all_data', 'pg_signal_backend') AND pg_has_role(current_user, oid, 'MEMBER')",
  },
  {
    name: 'it can write to a table, or owns one',
    sql: "SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%' AND has_schema_privilege(n.oid, 'USAGE') AND (pg_has_role(c.relowner, 'MEMBER') OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER') OR has_any_column_privilege(c.oid, 'INSERT, UPDATE')) LIMIT 1",
  },
  {
    name: 'it can move a sequence',
    sql: "SELECT oid FROM (SELECT c.oid, c.relnamespace FROM pg_class c WHERE c.relkind = 'S' OFFSET 0) s WHERE has_schema_privilege(relnamespace, 'USAGE') AND has_sequence_privilege(oid, 'USAGE, UPDATE') LIMIT 1",
  },
  {
    name: "it can call a function that runs with its owner's rights",
    sql: "SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.prosecdef AND n.nspname <> 'pg_catalog' AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE') LIMIT 1",
  },
  {
    name: 'it can call a function that reaches other databases',
    sql: "SELECT oid FROM pg_proc WHERE proname LIKE 'dblink%' AND has_function_privilege(oid, 'EXECUTE') AND has_schema_privilege(pronamespace, 'USAGE') LIMIT 1",
  },
  { name: 'it can make a table', sql: 'CREATE TABLE threadwise_attack (x int)' },
  { name: 'it can make a schema', sql: 'CREATE SCHEMA threadwise_attack' },
  { name: 'it can make a temporary table', sql: 'CREATE TEMP TABLE threadwise_attack (x int)' },
  { name: 'it can make a large object', sql: 'SELECT lo_creat(-1)' },
  { name: 'it can make a large object of bytes', sql: "SELECT lo_from_bytea(0, 'x')" },
  { name: 'it can read a file of the server', sql: "SELECT pg_read_file('PG_VERSION')" },
  { name: 'it can list the files of the server', sql: "SELECT pg_ls_dir('.')" },
  {
    name: 'it can read a file by COPY',
    sql: "CREATE TEMP TABLE threadwise_attack (x text); COPY threadwise_attack FROM '/etc/hostname'",
  },
  { name: 'it can write a file', sql: "COPY (SELECT 1) TO '/dev/null'" },
  { name: 'it can start a program on the server', sql: "COPY (SELECT 1) TO PROGRAM 'cat >/dev/null'" },
  { name: 'it can import collations', sql: "SELECT pg_import_system_collations('pg_catalog')" },
];

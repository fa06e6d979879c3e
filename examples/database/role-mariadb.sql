-- An account for the assistant in MariaDB or MySQL, which reads the views of one database and can do nothing else. Change the host and
-- the password. Grant SELECT on views, not on the whole server: FILE, or SELECT on *.*, would be refused by the start-up test.
CREATE USER threadwise@'127.0.0.1' IDENTIFIED BY 'change-me' WITH MAX_USER_CONNECTIONS 16;
GRANT SELECT ON reporting.* TO threadwise@'127.0.0.1';

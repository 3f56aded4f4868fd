-- Text collations of MariaDB ignore trailing spaces: 'alice' and 'alice ' compared as one buyer. Identifiers
-- are compared as bytes. Nodes of the previous version use these columns unchanged.
ALTER TABLE reservations MODIFY user_id VARBINARY(512) NOT NULL, MODIFY idempotency_key VARBINARY(255);
ALTER TABLE buyers MODIFY user_id VARBINARY(512) NOT NULL;
ALTER TABLE admissions MODIFY room VARBINARY(512) NOT NULL, MODIFY user VARBINARY(512) NOT NULL;
ALTER TABLE shared_rooms MODIFY room VARBINARY(512) NOT NULL;

-- Text collations of MariaDB pad with spaces: 'alice' and 'alice ' compared as one buyer. Identifiers are
-- bytes, compared as bytes. Nodes of the version before read and write these columns as before.
ALTER TABLE reservations MODIFY user_id VARBINARY(512) NOT NULL, MODIFY idempotency_key VARBINARY(255);
ALTER TABLE buyers MODIFY user_id VARBINARY(512) NOT NULL;
ALTER TABLE admissions MODIFY room VARBINARY(512) NOT NULL, MODIFY user VARBINARY(512) NOT NULL;
ALTER TABLE shared_rooms MODIFY room VARBINARY(512) NOT NULL;

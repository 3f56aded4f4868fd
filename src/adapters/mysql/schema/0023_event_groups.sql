-- The events of one transaction are one row: `data` has one text line for each, the JSON of the event after
-- its id; `id` is the id of the last one, and `many` counts them. `at`: the newest time. `type` and `subject`
-- are empty since.
ALTER TABLE events
  ADD COLUMN many INT NOT NULL DEFAULT 1,
  MODIFY type VARCHAR(64) NOT NULL DEFAULT '',
  MODIFY subject VARBINARY(1024) NOT NULL DEFAULT '';
UPDATE events
  SET data = CONCAT(',"type":"', type, '","time":"', LEFT(DATE_FORMAT(at, '%Y-%m-%dT%H:%i:%s.%f'), 23),
    'Z","subject":', JSON_QUOTE(CONVERT(subject USING utf8mb4)), ',"data":', data, '}'),
    type = '', subject = ''
  WHERE type <> '';

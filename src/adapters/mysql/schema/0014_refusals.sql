-- Refused holds of a concert, by the code of the refusal. A crash of a node loses those of its last second.
CREATE TABLE IF NOT EXISTS refusals (
  concert_id BIGINT NOT NULL,
  code VARCHAR(64) NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (concert_id, code)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The organiser of a concert: its name (NULL: the server's), and its logo, stored as posters are.
ALTER TABLE concerts ADD COLUMN organizer VARCHAR(200);
CREATE TABLE IF NOT EXISTS logos (
  concert_id BIGINT NOT NULL,
  width INT NOT NULL,
  height INT NOT NULL,
  version VARCHAR(32) NOT NULL,
  type VARCHAR(20) NOT NULL,
  picture MEDIUMBLOB NOT NULL,
  PRIMARY KEY (concert_id, width)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

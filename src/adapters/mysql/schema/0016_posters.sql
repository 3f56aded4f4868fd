-- Posters of concerts: the picture itself, and narrower copies of it with the same version.
CREATE TABLE IF NOT EXISTS posters (
  concert_id BIGINT NOT NULL,
  width INT NOT NULL,
  height INT NOT NULL,
  version VARCHAR(32) NOT NULL,
  type VARCHAR(20) NOT NULL,
  picture MEDIUMBLOB NOT NULL,
  PRIMARY KEY (concert_id, width)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

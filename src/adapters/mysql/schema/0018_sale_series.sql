-- Points of a sale's charts; instants in milliseconds since 1970. Older points are thinned.
CREATE TABLE IF NOT EXISTS sale_series (
  concert_id BIGINT NOT NULL,
  at BIGINT NOT NULL,
  arrivals BIGINT NOT NULL,
  admissions BIGINT NOT NULL,
  waiting BIGINT NOT NULL,
  entered BIGINT NOT NULL,
  held BIGINT NOT NULL,
  sold BIGINT NOT NULL,
  revenue BIGINT NOT NULL,
  refused BIGINT NOT NULL,
  declined BIGINT NOT NULL,
  PRIMARY KEY (concert_id, at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

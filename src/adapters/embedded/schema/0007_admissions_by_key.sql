-- Admissions are found by their key; forgetting old ones is rare, and a scan will do. With the index every
-- entry wrote twice.
DROP INDEX IF EXISTS admissions_by_end;

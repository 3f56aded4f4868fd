-- Old windows are read from memory; boards in Redis ask for one rarely, and a scan will do. The index made an import write half
-- as much again.
DROP INDEX IF EXISTS sold_out_schedules_by_time;

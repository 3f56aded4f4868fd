-- Old windows are read from memory; boards in Redis ask for one rarely, and a scan will do. With the index an
-- import wrote almost twice as much.
DROP INDEX IF EXISTS sold_out_schedules_by_time;

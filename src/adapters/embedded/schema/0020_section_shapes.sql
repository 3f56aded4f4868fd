-- The outline of a section on the plan: a JSON array x1, y1, x2, y2, …; NULL: the pages lay the section out.
ALTER TABLE sections ADD COLUMN shape TEXT;

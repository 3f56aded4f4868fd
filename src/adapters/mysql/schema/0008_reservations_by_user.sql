-- A customer's own bookings, newest first.
ALTER TABLE reservations ADD INDEX reservations_by_user (user_id, number);

"""What happens when two things touch: time of impact, response, and the table of impacts."""

"""What pairs of parts are asked, and who answers: a file for each kind of pair."""

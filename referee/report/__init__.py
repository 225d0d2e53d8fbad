"""Reports: functions of the arena's database. One model each, and the formats it comes out in."""

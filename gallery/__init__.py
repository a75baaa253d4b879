"""A gallery of public leaderboards: tables made from their repositories, and pages made from the tables."""

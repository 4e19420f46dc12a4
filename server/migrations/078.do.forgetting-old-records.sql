-- Records of declined cards, of visits that saved no card and of where first calls came from are kept for a year. What is
-- older is found by its age.

create index payment_failure_age on payment_failure (failed_at);
create index card_setup_unfinished on card_setup (created_at) where status <> 'saved';
create index first_call_origin_network on first_call_origin (seen_at) where kind = 'network';

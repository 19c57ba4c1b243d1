-- C06 on a queue with nothing but a state: a reset changed the state and left the rendered title.
INSERT INTO article_claim_demo (id, title, state, rendered_title)
VALUES (1, 'fresh', 'ready', NULL), (2, 'reset', 'ready', 'RESET'), (3, 'taken', 'processing', NULL),
       (4, 'taken after a reset', 'processing', 'TAKEN');

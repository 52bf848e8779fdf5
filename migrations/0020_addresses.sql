-- Addresses are compared in composed characters: those that were kept as they came follow.
-- Of two members who differ by nothing else, the one that is composed already, else the older one, has the address.

update users u
set email_key = normalize(u.email_key, nfc)
where u.email_key is not nfc normalized
  and not exists (
    select from users o
    where o.organization_id = u.organization_id and o.id <> u.id
      and normalize(o.email_key, nfc) = normalize(u.email_key, nfc)
      and (o.email_key is nfc normalized or o.id < u.id));

-- Says how the room is.
return enter('free') or finish('OK')

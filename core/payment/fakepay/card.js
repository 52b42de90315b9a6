addEventListener('pageshow', (e) => { if (e.persisted) location.reload(); });

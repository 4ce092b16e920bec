//! Web archives, record by record.

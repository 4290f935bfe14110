"""From numbers to what people see: tables, figures and the report page."""

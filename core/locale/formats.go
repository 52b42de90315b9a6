package locale

// minorUnits lists the ISO 4217 currencies that do not have two decimals.
var minorUnits = map[string]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0,
	"RWF": 0, "UGX": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
}

// symbols are understood in every language; own ones come on top.
func symbols(own map[string]string) map[string]string {
	all := map[string]string{
		"EUR": "€", "GBP": "£", "USD": "$", "JPY": "¥", "INR": "₹", "KRW": "₩", "UAH": "₴", "BDT": "৳",
		"PLN": "zł", "CZK": "Kč", "SEK": "kr", "NOK": "kr", "DKK": "kr", "HUF": "Ft",
	}
	for code, symbol := range own {
		all[code] = symbol
	}
	return all
}

var westernThousands = []int{3}

// formats are the five languages' ways, after CLDR, with one choice of ours: times
// of day have 24 hours everywhere, as they do on tickets.
var formats = map[string]*Format{
	"en": {
		Lang: "en", Digits: "0123456789", Group: ",", Decimal: ".", Grouping: westernThousands, GroupFrom: 4,
		Symbols: symbols(nil), MinorUnits: minorUnits,
		Months:    []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		MonthsCut: []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
		Days:      []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
		DaysCut:   []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"},
		Full:      "{weekday} {d} {month} {y}, {time}", Year: "{wd} {d} {mon} {y}, {time}", Short: "{wd} {d} {mon}, {time}",
	},
	"es": {
		Lang: "es", Digits: "0123456789", Group: ".", Decimal: ",", Grouping: westernThousands, GroupFrom: 5,
		SymbolLast: true, SymbolGap: "\u00a0", Symbols: symbols(nil), MinorUnits: minorUnits,
		Months:    []string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
		MonthsCut: []string{"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"},
		Days:      []string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
		DaysCut:   []string{"dom", "lun", "mar", "mié", "jue", "vie", "sáb"},
		Full:      "{weekday}, {d} de {month} de {y}, {time}", Year: "{wd}, {d} {mon} {y}, {time}", Short: "{wd}, {d} {mon}, {time}",
	},
	"zh": {
		Lang: "zh", Digits: "0123456789", Group: ",", Decimal: ".", Grouping: westernThousands, GroupFrom: 4,
		Symbols: symbols(map[string]string{"CNY": "¥", "JPY": "JP¥"}), MinorUnits: minorUnits,
		Months:    []string{"一月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "十一月", "十二月"},
		MonthsCut: []string{"1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"},
		Days:      []string{"星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"},
		DaysCut:   []string{"周日", "周一", "周二", "周三", "周四", "周五", "周六"},
		Full:      "{y}年{m}月{d}日 {weekday} {time}", Year: "{y}年{m}月{d}日 {wd} {time}", Short: "{m}月{d}日 {wd} {time}",
	},
	"bn": {
		Lang: "bn", Digits: "০১২৩৪৫৬৭৮৯", Group: ",", Decimal: ".", Grouping: []int{3, 2}, GroupFrom: 4,
		SymbolLast: true, Symbols: symbols(nil), MinorUnits: minorUnits,
		Months:    []string{"জানুয়ারি", "ফেব্রুয়ারি", "মার্চ", "এপ্রিল", "মে", "জুন", "জুলাই", "আগস্ট", "সেপ্টেম্বর", "অক্টোবর", "নভেম্বর", "ডিসেম্বর"},
		MonthsCut: []string{"জানু", "ফেব", "মার্চ", "এপ্রি", "মে", "জুন", "জুল", "আগ", "সেপ", "অক্টো", "নভে", "ডিসে"},
		Days:      []string{"রবিবার", "সোমবার", "মঙ্গলবার", "বুধবার", "বৃহস্পতিবার", "শুক্রবার", "শনিবার"},
		DaysCut:   []string{"রবি", "সোম", "মঙ্গল", "বুধ", "বৃহঃ", "শুক্র", "শনি"},
		Full:      "{weekday}, {d} {month} {y}, {time}", Year: "{wd}, {d} {mon} {y}, {time}", Short: "{wd}, {d} {mon}, {time}",
	},
	"ar": {
		Lang: "ar", RTL: true, Digits: "٠١٢٣٤٥٦٧٨٩", Group: "٬", Decimal: "٫", Grouping: westernThousands, GroupFrom: 4,
		SymbolLast: true, SymbolGap: "\u00a0", MinorUnits: minorUnits,
		Symbols: symbols(map[string]string{
			"AED": "د.إ.", "BHD": "د.ب.", "DZD": "د.ج.", "EGP": "ج.م.", "IQD": "د.ع.", "JOD": "د.أ.", "KWD": "د.ك.", "LYD": "د.ل.",
			"MAD": "د.م.", "OMR": "ر.ع.", "QAR": "ر.ق.", "SAR": "ر.س.", "TND": "د.ت.",
		}),
		Months:    []string{"يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"},
		MonthsCut: []string{"يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"},
		Days:      []string{"الأحد", "الاثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت"},
		DaysCut:   []string{"الأحد", "الاثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت"},
		Full:      "{weekday}، {d} {month} {y}، {time}", Year: "{wd}، {d} {mon} {y}، {time}", Short: "{wd}، {d} {mon}، {time}",
	},
}

// Of returns the Format of a language; the fallback's for one we do not have.
func Of(lang string) *Format {
	if f, ok := formats[lang]; ok {
		return f
	}
	return formats[Fallback]
}
